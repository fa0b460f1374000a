import { defineErrors } from "@verbena/ib";

/** Every coded error of the program; one section each in `docs/errors.md`. Alphabetical. */
export const CLI_ERRORS = {
  VERBENA_CLI_BACKGROUND: {
    message: "the daemon ended before it was ready",
    hint: "run it with -P to see why",
  },
  VERBENA_CLI_CHILD: {
    message: "verbena {command} ended before it was ready (status {status}): {reason}",
    hint: "run that command by itself to see more",
  },
  VERBENA_CLI_DEMO: {
    message: "the demonstration failed: {reason}",
    hint: "run it again with --keep and look at the cluster with `verbena sim ctl` and `verbena stats`",
  },
  VERBENA_CLI_EXEC: {
    message: "{program} could not be started: {reason}",
    hint: "check the name and that it is installed",
  },
  VERBENA_CLI_FILE: {
    message: "cannot use {file}: {problem}",
    hint: "check the path, its permissions and the room on the disk",
  },
  VERBENA_CLI_INTERNAL: {
    message: "{reason}",
    hint: "this is a fault of verbena itself; please report it with the lines above",
  },
  VERBENA_CLI_NOT_OFFERED: {
    message: "{what}: not offered by this daemon",
    hint: "it has no control socket that we can reach; is it a verbena daemon, and is --control right?",
  },
  VERBENA_CLI_NO_DAEMON: {
    message: "no daemon answers at {path}",
    hint: "start one with `verbena serve`, or name its socket with --socket",
  },
  VERBENA_CLI_OUTPUT: {
    message: "the output could not be written: {reason}",
    hint: "what was printed is not complete; is the disk full?",
  },
  VERBENA_CLI_SCENARIO: {
    message: "{place}: {problem}",
    hint: "a line is TIME REQUEST, such as `2s link down H8`; `verbena sim ctl --help` lists the requests",
  },
  VERBENA_CLI_STRESS: {
    message: "the stress test has failed: {reason}",
    hint: "both sides must be of one kind of test and reach each other's RDS ports; what the other side says tells more",
  },
  VERBENA_CLI_USAGE_ARGUMENT: {
    message: "{what}",
    hint: "run the command with --help",
  },
  VERBENA_CLI_USAGE_DURATION: {
    message: '"{text}" is not a duration',
    hint: "write 250ms, 5s, 2m or 1h; a bare number counts seconds",
  },
  VERBENA_CLI_USAGE_NODE: {
    message: 'the fabric in {dir} has no channel adapter named "{node}"',
    hint: "names are topology ids, NodeDescriptions or their first word; some of this fabric: {known}",
  },
  VERBENA_CLI_USAGE_NUMBER: {
    message: '{option} takes a whole number, not "{text}"',
    hint: "run the command with --help",
  },
  VERBENA_CLI_USAGE_TRANSPORT: {
    message: "RDS over {name}: not available in this release",
    hint: "choose --transport kernel, which uses InfiniBand where the kernel's rds_rdma is loaded, or tcp",
  },
  VERBENA_CLI_USAGE_UNSUPPORTED: {
    message: "{option} is not available: {reason}",
    hint: "leave the option out",
  },
} as const;

/** Makes an error of this package's table. */
export const cliError = defineErrors(CLI_ERRORS);
