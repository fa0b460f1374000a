import { ForwardingTables, NO_ROUTE } from "./forwarding-tables.js";

describe("forwarding tables", () => {
  it("know the highest LID that has an entry, as entries come and go", () => {
    const tables = new ForwardingTables();
    const topAfter = (change: () => void): number => {
      change();
      return tables.top;
    };
    expect(tables.top).toBe(0);
    expect(topAfter(() => tables.setRoute(3, 1))).toBe(3);
    expect(topAfter(() => tables.setRoute(900, 2))).toBe(900);
    expect(topAfter(() => tables.setRoute(7, 1))).toBe(900);
    expect(topAfter(() => tables.setRoute(7, NO_ROUTE))).toBe(900);
    expect(topAfter(() => tables.setRoute(900, NO_ROUTE))).toBe(3);
    expect(topAfter(() => tables.setRoute(3, NO_ROUTE))).toBe(0);
    expect(topAfter(() => tables.setRoute(ForwardingTables.LINEAR_CAP - 1, 0))).toBe(ForwardingTables.LINEAR_CAP - 1);
    expect(topAfter(() => tables.clearRoutes())).toBe(0);
  });

  it("have the top that was written, whatever is in the table", () => {
    const tables = new ForwardingTables();
    tables.setRoute(9, 1);
    tables.limitTo(5);
    expect([tables.top, tables.route(9), tables.entry(9)]).toEqual([5, NO_ROUTE, 1]);
  });
});
