import js from "@eslint/js";
import jest from "eslint-plugin-jest";
import tseslint from "typescript-eslint";

// Biome formats and does the fast checks; ESLint does what needs types.
export default tseslint.config(
  {
    ignores: ["**/dist/", "**/build*/", "**/node_modules/", ".tools/", "coverage/", "docs/api/"],
  },
  {
    files: ["**/*.ts"],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.test.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/no-extraneous-class": ["error", { allowWithDecorator: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-import-type-side-effects": "error",
      // `return fail(…)` leaves a void function early.
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // An interface's method may not need all it is given; a leading underscore says so.
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      // A value type and its companion object share one name on purpose (Gid, Lid, PKey …).
      "@typescript-eslint/no-redeclare": "off",
      "no-redeclare": "off",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // One seam to native code: packages/native/src/binding.ts declares it, load-binding.ts loads it.
    files: ["packages/*/src/**/*.ts"],
    ignores: ["packages/native/src/{binding,load-binding}*.ts", "**/*.test.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector: "Literal[value=/\\.node$/], TemplateElement[value.raw=/\\.node$/]",
          message: "Only packages/native/src/load-binding.ts loads the addon; take what you need from @verbena/native.",
        },
      ],
      "no-restricted-properties": [
        "error",
        { object: "process", property: "dlopen", message: "Only packages/native/src/load-binding.ts loads the addon." },
      ],
    },
  },
  {
    // The suites of the virtual machine are of node:test, whose calls give promises that the runner itself awaits.
    files: ["test/vm/**/*.ts"],
    rules: {
      "@typescript-eslint/no-floating-promises": [
        "error",
        {
          allowForKnownSafeCalls: [
            { from: "package", package: "node:test", name: ["test", "describe", "suite", "it"] },
          ],
        },
      ],
    },
  },
  {
    files: ["**/*.test.ts", "**/test/**/*.ts"],
    extends: [jest.configs["flat/recommended"]],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unbound-method": "off",
      // expect.any() and its like are of type any.
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "jest/no-standalone-expect": "off",
      "jest/expect-expect": "off", // helpers and property tests assert too
      "jest/no-conditional-expect": "off",
      "jest/valid-title": "off",
    },
  },
  {
    // Suites that run over several back ends are functions, and shared with the virtual machine.
    files: ["packages/rds/test/conformance/**/*.ts"],
    rules: { "jest/no-export": "off" },
  },
);
