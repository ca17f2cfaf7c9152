const ANSWER_MS = 10_000;

/**
 * Calls the local chain's node by JSON-RPC.
 * @throws Error when the node does not answer or refuses
 */
export async function rpc<Result>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const { result, error } = (await response.json()) as { result?: Result; error?: { message: string } };
  if (error) throw new Error(`the local chain refuses ${method}: ${error.message}`);
  return result as Result;
}
