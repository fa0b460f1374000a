// Lets `node --require` run the TypeScript of bench/ and soak/; not used by any package.
const { existsSync, readFileSync } = require("node:fs");
const Module = require("node:module");
const { transformSync } = require("@swc/core");

const options = {
  jsc: {
    target: "es2023",
    parser: { syntax: "typescript", decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: false },
    keepClassNames: true,
  },
  module: { type: "commonjs" },
  sourceMaps: "inline",
};

Module._extensions[".ts"] = (module, filename) => {
  module._compile(transformSync(readFileSync(filename, "utf8"), { ...options, filename }).code, filename);
};

// Relative imports are written with .js, as TypeScript wants them.
const resolve = Module._resolveFilename;
Module._resolveFilename = function (request, parent, ...rest) {
  if (/^\.{1,2}\/.*\.js$/.test(request) && parent?.filename?.endsWith(".ts")) {
    const path = require("node:path").resolve(parent.path, request).replace(/\.js$/, ".ts");
    if (existsSync(path)) return path;
  }
  return resolve.call(this, request, parent, ...rest);
};
