import { sample } from '../../kernel/metrics/definitions';
import type { Reading } from '../../kernel/metrics/readings';
import { ENDPOINT_STATUSES } from './record';
import { countEndpoints } from './store';

export const endpointsReading: Reading = {
  name: 'webhooks',
  gauges: ['webhook_endpoints'],
  async read(sql) {
    const counts = await countEndpoints(sql);
    return ENDPOINT_STATUSES.map((status) =>
      sample('webhook_endpoints', { status }, counts.get(status) ?? 0),
    );
  },
};
