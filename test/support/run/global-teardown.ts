export default async function teardown(): Promise<void> {
  await ((globalThis as Record<string, unknown>)['stopTestServers'] as (() => Promise<void>) | undefined)?.();
}
