#!/usr/bin/env node
if (!require("./bundle.js").runBundle()) require("../dist/main.js");
