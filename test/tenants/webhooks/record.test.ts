import { DELIVERY_TRANSITIONS } from '../../../src/tenants/webhooks/delivery/record';
import { ENDPOINT_TRANSITIONS } from '../../../src/tenants/webhooks/record';

it('sends a delivered event again only when it alone is asked for, and has one transition per event', () => {
  const again = DELIVERY_TRANSITIONS.filter(({ from }) => from.includes('delivered'));
  expect(again.map(({ on }) => on)).toEqual(['resent_alone']);
  for (const table of [DELIVERY_TRANSITIONS, ENDPOINT_TRANSITIONS]) {
    const names = table.map(({ on }) => on);
    expect(new Set(names).size).toBe(names.length);
  }
});
