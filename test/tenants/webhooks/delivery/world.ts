import { type Client, testApi } from '../../../support/api';
import { startReceiver } from '../../../support/outside/receiver';
import { dispatching, eventsOf, register } from '../support';

export type DispatcherWorld = Awaited<ReturnType<typeof dispatcherWorld>>;

/** The API, a receiver for webhooks, and dispatchers. */
export async function dispatcherWorld() {
  const [api, receiver] = await Promise.all([testApi(), startReceiver()]);
  let running: { stop(): Promise<unknown> }[] = [];
  let paths = 0;
  return {
    api,
    receiver,
    async tenant(type: 'card' | 'account' = 'card') {
      const client = await api.client();
      paths += 1;
      const path = `/hook-${paths}?a=b`;
      await register(client, receiver.url + path, type);
      return { client, path };
    },
    dispatch(options: Parameters<typeof dispatching>[1] = {}) {
      const one = dispatching(api, { ca: receiver.ca, ...options });
      running.push(one);
      return one;
    },
    /** Whether all events of a client have this state. */
    all: (client: Client, delivery: string) => async () =>
      (await eventsOf(api, client)).every((row) => row.delivery === delivery),
    /** Call it after each test. */
    async stop() {
      await Promise.all(running.map((one) => one.stop()));
      running = [];
    },
    async close() {
      await receiver.close();
      await api.close();
    },
  };
}
