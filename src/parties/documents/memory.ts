import type { SealedStore } from './port';

/** Sealed bytes for as long as the process lives: where a sandbox is composed without a place for them. */
export function createMemoryStore(): SealedStore {
  const kept = new Map<string, Buffer>();
  return {
    put: async (name, sealed) => void kept.set(name, Buffer.from(sealed)),
    get: async (name) => kept.get(name),
    delete: async (name) => void kept.delete(name),
  };
}
