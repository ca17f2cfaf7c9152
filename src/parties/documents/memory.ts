import { buffer } from 'node:stream/consumers';
import type { SealedStore } from './port';

/** Keeps sealed bytes for the life of the process, for a sandbox without a configured store. */
export function createMemoryStore(): SealedStore {
  const kept = new Map<string, Buffer>();
  return {
    put: async (name, sealed) => void kept.set(name, await buffer(sealed.read())),
    async get(name) {
      const bytes = kept.get(name);
      return bytes && portionsOf(bytes);
    },
    delete: async (name) => void kept.delete(name),
    list: async () => new Map([...kept].map(([name, { length }]) => [name, length])),
  };
}

async function* portionsOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
