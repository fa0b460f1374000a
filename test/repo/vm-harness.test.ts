import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { evaluate, run } from "./evaluate.js";

// The parts of scripts/vm that need no machine. That it runs one is what test/vm shows.
jest.setTimeout(60_000); // each question starts a Node

describe("command line of scripts/vm", () => {
  const parse = (...argv: readonly string[]) =>
    evaluate(
      "vm/command-line.mjs",
      `m.parseCommandLine(${JSON.stringify(argv)}, {
         env: { SET: "from outside" },
         realDirectory: (path) => (path === "data" ? "/real/data" : undefined),
       })`,
    );

  const vm = (...argv: readonly string[]) => {
    const { status, stderr } = run("scripts/vm", argv);
    return [status, stderr];
  };

  it("has defaults", () => {
    expect(parse("true")).toEqual({
      hosts: 1,
      cpus: 2,
      memory: 2048,
      timeout: 300,
      rw: [],
      env: [],
      command: ["true"],
    });
  });

  it("takes every option, values also after '='; what follows -- belongs to the command", () => {
    expect(
      parse(
        ...["--hosts=2", "--cpus", "1", "--mem", "1024", "--timeout=7", "--rw", "data", "--stdin", "--verbose"],
        ...["--env", "A=b=c", "--env", "SET", "--env", "UNSET", "--kernel-log", "log", "--", "sh", "-c", "--help"],
      ),
    ).toEqual({
      hosts: 2,
      cpus: 1,
      memory: 1024,
      timeout: 7,
      rw: ["/real/data"],
      env: ["A=b=c", "SET=from outside"],
      stdin: true,
      verbose: true,
      kernelLog: "log",
      command: ["sh", "-c", "--help"],
    });
  });

  it("refuses what is wrong with a code and status 125", () => {
    expect(vm()).toEqual([125, "vm: VM_USAGE: no command ('scripts/vm --help' tells how to call)\n"]);
    expect(vm("--hosts", "3", "true")).toEqual([125, "vm: VM_USAGE: --hosts wants 1 or 2, not 3\n"]);
    expect(vm("--mem", "12", "true")).toEqual([125, "vm: VM_USAGE: --mem wants a whole number from 512, not 12\n"]);
    expect(vm("--rw", "no/such", "true")).toEqual([125, "vm: VM_USAGE: --rw: there is no directory no/such\n"]);
    expect(vm("--env", "1=2", "true")).toEqual([125, "vm: VM_USAGE: --env wants NAME or NAME=VALUE, not 1=2\n"]);
    expect(vm("--timeout")).toEqual([125, "vm: VM_USAGE: --timeout wants a value\n"]);
    expect(vm("--host", "2", "true")).toEqual([
      125,
      "vm: VM_USAGE: unknown option --host ('scripts/vm --help' lists them)\n",
    ]);
  });

  it("prints its help, with the meaning of every code", () => {
    const { status, stdout } = run("scripts/vm", ["--help"]);
    expect(status).toBe(0);
    for (const word of ["usage: scripts/vm", "--hosts", "VM_TIMEOUT", "VERBENA_VM_KERNEL"])
      expect(stdout).toContain(word);
  });
});

describe("a run of the machine", () => {
  it("hands the command over as a script, with every word quoted", () => {
    const job = `{
      hosts: 2, stdin: false, kernelDir: "/cache/it's", ip: "/sbin/ip", rdma: "/bin/rdma",
      shared: m.sharedFolders("/clone", ["/data", "/clone"]), cwd: "/clone",
      env: { PATH: "/bin", TERM: "dumb" }, extraEnv: ["A=b='c'"], command: ["echo", "a b", "it's"],
    }`;
    expect(evaluate("vm/plan.mjs", `m.jobFiles(${job})`)).toEqual({
      rw: "rw0 /clone\nrw1 /data\n",
      conf: "HOSTS=2\nSTDIN=0\nKERNEL_DIR='/cache/it'\\''s'\nIP='/sbin/ip'\nRDMA='/bin/rdma'\n",
      job:
        "export PATH='/bin'\nexport A='b='\\''c'\\'''\nexport VERBENA_VM='1'\n" +
        "cd '/clone' || exit 125\nunset OLDPWD\nexec 'echo' 'a b' 'it'\\''s'\n",
    });
  });

  it("shares the root for reading only, and doubles commas as QEMU wants it", () => {
    const machine = `{
      cpus: 1, memory: 512, image: "k", initrd: "i", work: "/tmp/w", log: "/a,b", shared: [{ tag: "rw0", dir: "/x,y" }],
    }`;
    const args = evaluate("vm/plan.mjs", `m.qemuArguments(${machine})`) as readonly string[];
    expect(args).toEqual(
      expect.arrayContaining([
        "file:/a,,b",
        "local,id=root,path=/,security_model=none,multidevs=remap,readonly=on",
        "local,id=rw0,path=/x,,y,security_model=none,multidevs=remap",
      ]),
    );
    expect(args.find((arg) => arg.includes("console="))).toMatch(/ verbena_vm\.job=\/tmp\/w$/);
  });

  it("tells of the kernel log what lies from a crash on, else its end", () => {
    const rows = Array.from({ length: 100 }, (_, i) => `row ${i}`);
    const telling = (text: string) =>
      evaluate("vm/kernel-log.mjs", `m.tellingPart(${JSON.stringify(text)})`) as readonly string[];
    expect(telling(rows.join("\r\n"))).toEqual(rows.slice(75));
    expect(telling([...rows, "BUG: unable to handle", "trace"].join("\n"))).toEqual(["BUG: unable to handle", "trace"]);
  });
});

describe("the kernel", () => {
  it("is the newest of the cache, unless a version or a file is asked for", () => {
    const cached = ["tmp-x", "linux-image-6.1.0-9-amd64", "linux-image-6.1.0-57-amd64"];
    const choose = (wanted: string) =>
      evaluate("vm/cache.mjs", `m.chooseKernel(${JSON.stringify(cached)}, ${JSON.stringify(wanted)})`);
    expect(choose("")).toBe("linux-image-6.1.0-57-amd64");
    expect(choose("linux-image-amd64")).toBe("linux-image-6.1.0-57-amd64");
    expect(choose("linux-image-6.1.0-9-amd64")).toBe("linux-image-6.1.0-9-amd64");
    expect(choose("/some/linux-image-6.12.1-amd64.deb")).toBeNull();
  });

  it("loads a module after what it needs, each once; a lacking one is a coded failure", () => {
    const known = 'm.parseModulesDep("kernel/a-one.ko: kernel/b.ko\\nkernel/b.ko:\\nkernel/c.ko: kernel/b.ko\\n")';
    expect(evaluate("vm/modules.mjs", `m.insertionOrder({ x: ["a_one"], y: ["c", "b"] }, ${known})`)).toEqual({
      x: ["b", "a_one"],
      y: ["c"],
    });
    expect(() => evaluate("vm/modules.mjs", `m.insertionOrder({ x: ["d"] }, ${known})`)).toThrow(
      /no module d.*VM_KERNEL/s,
    );
  });

  it("gets an initramfs in the newc form", () => {
    const hex = evaluate("vm/cpio.mjs", 'm.cpio([{ name: "a", mode: 0o100644, content: "hi" }]).toString("hex")');
    const bytes = Buffer.from(hex as string, "hex");
    // Magic, inode 1, mode; the name's length with its zero at 94; name at 110; contents at a multiple of four.
    expect(bytes.toString("latin1", 0, 22)).toBe("07070100000001000081a4");
    expect(bytes.toString("latin1", 94, 102)).toBe("00000002");
    expect(bytes.toString("latin1", 110, 116)).toBe("a\0hi\0\0");
    expect(bytes.toString("latin1")).toMatch(/TRAILER!!!\0+$/);
    expect(bytes.length % 4).toBe(0);
  });
});

describe("results of the rung", () => {
  const events = [
    { type: "test:start", data: { nesting: 0, name: "s.test.ts" } },
    { type: "test:start", data: { nesting: 1, name: "works" } },
    { type: "test:pass", data: { nesting: 1, name: "works" } },
    { type: "test:start", data: { nesting: 1, name: "group" } },
    { type: "test:start", data: { nesting: 2, name: "breaks" } },
    { type: "test:fail", data: { nesting: 2, name: "breaks", details: { error: { cause: { stack: "Error: no" } } } } },
    {
      type: "test:fail",
      data: { nesting: 1, name: "group", details: { type: "suite", error: { failureType: "subtestsFailed" } } },
    },
    { type: "test:start", data: { nesting: 1, name: "later" } },
    { type: "test:pass", data: { nesting: 1, name: "later", skip: "no such device" } },
    {
      type: "test:fail",
      data: { nesting: 0, name: "s.test.ts", details: { type: "suite", error: { failureType: "subtestsFailed" } } },
    },
    { type: "test:start", data: { nesting: 0, name: "t.test.ts" } },
    {
      type: "test:fail",
      data: { nesting: 0, name: "t.test.ts", details: { type: "suite", error: { stack: "Error: load" } } },
    },
  ];
  const lines = evaluate(
    "vm/reporter.mjs",
    `(async () => { let text = ""; for await (const row of m.default(${JSON.stringify(events)})) text += row; return text; })()`,
  ) as string;
  const result = (text: string) =>
    evaluate(
      "vm/results.mjs",
      `(() => { const { tests, isComplete } = m.parseReport(${JSON.stringify(text)});
         return { isComplete, ...m.toJestResult(["s.test.ts", "t.test.ts"], tests) }; })()`,
    );

  it("have the form of jest's, with a reason for each skipped test", () => {
    expect(result(lines)).toEqual({
      isComplete: true,
      numPassedTests: 1,
      numFailedTests: 2,
      numPendingTests: 1,
      numFailedTestSuites: 0,
      testResults: [
        {
          name: "s.test.ts",
          assertionResults: [
            { fullName: "works", status: "passed", failureMessages: [] },
            { fullName: "group breaks", status: "failed", failureMessages: ["Error: no"] },
            { fullName: "later (no such device)", status: "pending", failureMessages: [] },
          ],
        },
        {
          name: "t.test.ts",
          assertionResults: [{ fullName: "(the suite itself)", status: "failed", failureMessages: ["Error: load"] }],
        },
      ],
    });
  });

  it("are waited for until the last suite has ended; only then is a process that does not end by itself", () => {
    const suites = ["s.test.ts", "t.test.ts"].map((name) => ({ nesting: 0, name }));
    // A test that is slow is not told of before it has ended.
    const told = (type: string) => suites.map((data) => ({ type, data }));
    const watches = (seen: readonly object[]) =>
      evaluate(
        "vm/reporter.mjs",
        `(async () => { let watches = 0; globalThis.setTimeout = () => ({ unref: () => (watches += 1) });
           for await (const row of m.default(${JSON.stringify(seen)})); return watches; })()`,
      );
    const all = [...told("test:enqueue"), ...told("test:pass")];
    expect(watches(all.slice(0, 3))).toBe(0);
    expect(watches(all)).toBe(1);
  });

  it("tell places in the sources, not in the bundle", () => {
    const folder = mkdtempSync(join(tmpdir(), "stack-"));
    const bundle = join(folder, "dist/suites.cjs");
    mkdirSync(join(folder, "dist"));
    // One segment: line 1, column 1 of the bundle is line 3, column 5 of the source.
    writeFileSync(`${bundle}.map`, JSON.stringify({ version: 3, sources: ["../a.ts"], names: [], mappings: "AAEI" }));
    const stack = `Error: no\n    at f (${bundle}:1:1)\n    at node:internal/timers:1:1`;
    const [from, root, text] = [bundle, folder, stack].map((one) => JSON.stringify(one));
    expect(evaluate("vm/stack.mjs", `m.stackTranslator(${from}, ${root})(${text})`)).toBe(
      "Error: no\n    at f (a.ts:3:5)\n    at node:internal/timers:1:1",
    );
    rmSync(folder, { recursive: true });
  });

  it("of a machine that ended early are incomplete, and its silent suites failed", () => {
    const cut = lines.slice(0, lines.indexOf("later"));
    expect(result(cut)).toMatchObject({
      isComplete: false,
      numPassedTests: 1,
      numFailedTests: 1,
      numFailedTestSuites: 1,
    });
  });
});
