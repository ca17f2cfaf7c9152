import type { SealedStore } from './port';

/** Keeps sealed bytes for the life of the process, for a sandbox without a configured store. */
export function createMemoryStore(): SealedStore {
  const kept = new Map<string, Buffer>();
  return {
    put: async (name, sealed) => void kept.set(name, Buffer.from(sealed)),
    get: async (name) => kept.get(name),
    delete: async (name) => void kept.delete(name),
  };
}
