/** Takes a line of what the program prints, without its end. */
export type Print = (line: string) => void;
