import type { Dispatcher } from 'undici';

/** Limit in bytes, far above any real answer, so that an endless answer cannot fill the memory. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Reads a body as text. @throws Error for a body above the limit, which counts as no answer */
export async function textOf(
  answer: Dispatcher.ResponseData['body'],
  mostBytes = MAX_BYTES,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error('the party’s answer is too long'); // which destroys the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
