/** A text as a pattern that matches it and nothing else. */
export const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
