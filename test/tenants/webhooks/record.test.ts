import { DELIVERY_TRANSITIONS } from '../../../src/tenants/webhooks/delivery/record';
import { ENDPOINT_TRANSITIONS } from '../../../src/tenants/webhooks/record';

it('never sends a delivered event again, and has one transition per state and event', () => {
  expect(DELIVERY_TRANSITIONS.some(({ from }) => from.includes('delivered'))).toBe(false);
  for (const table of [DELIVERY_TRANSITIONS, ENDPOINT_TRANSITIONS]) {
    const names = table.map(({ on }) => on);
    expect(new Set(names).size).toBe(names.length);
  }
});
