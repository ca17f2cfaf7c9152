import type { Dispatcher } from 'undici';

/** Whatever a party has to say is smaller; more would fill the memory. Bytes. */
const MAX_BYTES = 8 * 1024 * 1024;

/** @throws Error for more than it may be: as good as no answer */
export async function textOf(
  answer: Dispatcher.ResponseData['body'],
  mostBytes = MAX_BYTES,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error('the party answers without end'); // which destroys the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
