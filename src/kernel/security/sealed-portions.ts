import { randomBytes } from 'node:crypto';
import { SEAL_BYTES, type Sealer } from './sealer';

/**
 * Seals bytes of any length portion by portion, so that neither sealing nor opening holds them all. Each portion is
 * sealed by itself, and its context has the sealing's random id, its place and whether it is the last one. Portions
 * that were changed, reordered, repeated, left out or mixed with those of another sealing are therefore refused.
 */

/** Plain bytes of a portion. Large enough that the overhead is small, and sealed in a fraction of a millisecond. */
const PORTION_BYTES = 256 * 1024;
const ID_BYTES = 16;

/** The length of the sealed form of so many bytes. */
export const sealedSize = (size: number): number =>
  ID_BYTES + size + SEAL_BYTES * Math.max(1, Math.ceil(size / PORTION_BYTES));

/** @param context binds the sealed bytes to their place; opening needs the same context */
export async function* sealPortions(
  sealer: Sealer,
  context: string,
  content: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const id = randomBytes(ID_BYTES);
  yield id;
  for await (const { bytes, index, isLast } of portionsOf(content, () => PORTION_BYTES))
    yield sealer.seal(bytes, contextOf(context, id, isLast ? 'last' : index));
}

/**
 * Gives out no byte before its portion was checked.
 * @throws Error when the bytes were changed or cut off, or were sealed under another key or context
 */
export async function* openPortions(
  sealer: Sealer,
  context: string,
  sealed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const sizeOf = (index: number) => (index === 0 ? ID_BYTES : PORTION_BYTES + SEAL_BYTES);
  let id: Buffer | undefined;
  for await (const { bytes, index, isLast } of portionsOf(sealed, sizeOf)) {
    if (id) yield sealer.open(bytes, contextOf(context, id, isLast ? 'last' : index - 1));
    else if (isLast) throw new Error('the sealed bytes are cut off');
    else id = bytes;
  }
}

const contextOf = (context: string, id: Buffer, place: number | 'last'): string =>
  `${context}/${id.toString('hex')}/${place}`;

interface Portion {
  bytes: Buffer;
  index: number;
  /** The last portion is of its size or shorter, and always there. */
  isLast: boolean;
}

/** Cuts bytes into portions of these sizes. */
async function* portionsOf(
  source: AsyncIterable<Buffer>,
  sizeOf: (index: number) => number,
): AsyncGenerator<Portion> {
  let index = 0;
  const held: Buffer[] = [];
  let length = 0;
  for await (const chunk of source) {
    held.push(chunk);
    length += chunk.length;
    // Only a portion with bytes behind it is not the last one.
    for (let size = sizeOf(index); length > size; size = sizeOf(index)) {
      const joined = held[0]?.length === size ? (held.shift() as Buffer) : Buffer.concat(held.splice(0));
      if (joined.length > size) held.unshift(joined.subarray(size));
      length -= size;
      yield { bytes: joined.subarray(0, size), index, isLast: false };
      index += 1;
    }
  }
  yield { bytes: Buffer.concat(held), index, isLast: true };
}
