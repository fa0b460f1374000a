// Lets a worker thread run this workspace from its TypeScript sources, as jest does in the main thread.
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join } = require("node:path");
const { transformSync } = require("@swc/core");

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  if (request.startsWith(".") && request.endsWith(".js") && parent?.filename?.endsWith(".ts")) {
    const source = join(dirname(parent.filename), request.replace(/\.js$/, ".ts"));
    if (existsSync(source)) return source;
  }
  return resolveFilename.call(this, request, parent, ...rest);
};

Module._extensions[".ts"] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, "utf8"), {
    filename,
    jsc: { target: "es2023", parser: { syntax: "typescript", decorators: true }, transform: { legacyDecorator: true } },
    module: { type: "commonjs" },
    sourceMaps: "inline",
  });
  module._compile(code, filename);
};
