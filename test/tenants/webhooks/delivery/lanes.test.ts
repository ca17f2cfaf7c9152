import { attemptEnded, claimEnded, dueFound } from '../../../../src/tenants/webhooks/delivery/lane';
import { createLanes } from '../../../../src/tenants/webhooks/delivery/lanes';

const endpoint = (tenant: number, shard = 0) => ({
  shard,
  tenantId: `cli_${tenant}`,
  registration: 'card' as const,
});

/** Lanes with due events, with a clock that the test controls. */
function lanesOf(count: number) {
  const clock = { now: 0 };
  const lanes = createLanes(() => clock.now);
  for (let tenant = 1; tenant <= count; tenant += 1) dueFound(lanes.of(endpoint(tenant)), 0);
  return { clock, lanes };
}

const tenants = (wants: { tenantId: string }[]) => wants.map(({ tenantId }) => tenantId);
const everyShard = () => true;

it('claims for the lanes served longest ago first, within the limit', () => {
  const { lanes } = lanesOf(3);
  expect(tenants(lanes.wants(2, everyShard))).toEqual(['cli_1', 'cli_2']);
  for (const tenant of [1, 2]) dueFound(lanes.of(endpoint(tenant)), 0);
  expect(tenants(lanes.wants(2, everyShard))).toEqual(['cli_3', 'cli_1']);
  expect(lanes.wants(0, everyShard)).toEqual([]);
});

it('claims for a lane once, until it has room and more may be due', () => {
  const { lanes } = lanesOf(1);
  expect(lanes.wants(10, everyShard)).toEqual([{ ...endpoint(1), room: 1 }]);
  expect(lanes.wants(10, everyShard)).toEqual([]);
});

it('claims nothing for a shard of another process', () => {
  const { lanes } = lanesOf(1);
  dueFound(lanes.of(endpoint(2, 7)), 0);
  expect(tenants(lanes.wants(10, (shard) => shard === 7))).toEqual(['cli_2']);
  expect(tenants(lanes.ofShard(7))).toEqual(['cli_2']);
});

it('drops a lane without due events for a minute, but none with a new event', () => {
  const { clock, lanes } = lanesOf(2);
  clock.now = 59_999;
  expect(lanes.forgetIdle()).toEqual([]);
  clock.now = 60_000;
  dueFound(lanes.of(endpoint(2)), clock.now);
  expect(lanes.forgetIdle()).toEqual(['cli_1 card']);
  expect(tenants(lanes.wants(10, everyShard))).toEqual(['cli_2']);
});

it('keeps a lane that holds an event', () => {
  const { clock, lanes } = lanesOf(1);
  const lane = lanes.of(endpoint(1));
  lane.underWay = 1;
  expect(lanes.held()).toBe(1);
  clock.now = 120_000;
  expect(lanes.forgetIdle()).toEqual([]);
  attemptEnded(lane, 'unsent', clock.now);
  claimEnded(lane, [], 1);
  expect(lanes.forgetIdle()).toEqual(['cli_1 card']);
});
