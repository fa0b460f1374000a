import type { ProviderCounters } from "../sdk/provider.js";
import { EndpointAccount } from "./endpoint-account.js";

const reporter = (counters: ProviderCounters) => ({ counters: () => counters });

describe("EndpointAccount", () => {
  it("shows what the core counts where no session reports", () => {
    const account = new EndpointAccount();
    const silent = reporter({ packets: 9 });
    account.attach(silent);
    account.own.addressQuery += 2;
    account.own.resolve += 3;
    account.retire(silent);
    expect(account.read()).toMatchObject({ addressQuery: 2, resolve: 3, routeQuery: 0 });
  });

  it("shows what sessions report instead, summed, and what those that ended reported last", () => {
    const account = new EndpointAccount();
    let [first, second] = [4n, 3];
    const old = { counters: () => ({ addressQuery: first }) };
    const next = { counters: () => ({ addressQuery: second }) };
    account.attach(old);
    account.own.addressQuery += 1;
    account.own.routeQuery += 1;
    expect(account.read()).toMatchObject({ addressQuery: 4, routeQuery: 1 });
    account.attach(next);
    expect(account.read().addressQuery).toBe(7);
    first = 6n;
    account.retire(old);
    account.retire(old);
    second = 5;
    expect(account.read().addressQuery).toBe(11);
  });

  it("never falls when reporting begins and ends", () => {
    const account = new EndpointAccount();
    account.own.addressQuery += 5;
    let reported = 0;
    const session = { counters: () => ({ addressQuery: reported }) };
    account.attach(session);
    expect(account.read().addressQuery).toBe(5);
    account.own.addressQuery += 1;
    reported = 10;
    expect(account.read().addressQuery).toBe(15);
    account.retire(session);
    expect(account.read().addressQuery).toBe(15);
    account.own.addressQuery += 2;
    expect(account.read().addressQuery).toBe(17);
  });
});
