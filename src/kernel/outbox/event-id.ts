import { createHmac, createSecretKey } from 'node:crypto';
import { bytesOfId, idOfBytes, isId } from '../ids';
import type { Keyring } from '../security/keyring';

/** A recorded event: the part that identifies it. */
export interface EventKey {
  /** `events.number`. */
  number: string;
  createdAt: Date;
  event: string;
  /** `id` of its data. */
  dataId: string;
}

/** Events whose data has the id of a transaction. Nearly all events are transactions. */
const TRANSACTIONS: readonly string[] = ['card_transaction', 'account_transaction'];

/** Where an id is found: by the id of the event's data, or by the number of its row. */
export type EventPlace = { dataId: string } | { number: string; createdAt: Date };

/**
 * Ids of events: `webhook-id`, and `id` in `GET /v1/events`. An event of a status has an id in its data. The id of any
 * other event is derived from its row, because an index of ids would be written by every authorization.
 */
export interface EventIds {
  of(event: EventKey): string;
  /** The derived id, whatever the data has. For cursors. */
  derived(event: Pick<EventKey, 'number' | 'createdAt'>): string;
  /** Undefined for a text that is no id of an event. */
  find(id: string): EventPlace | undefined;
}

const MS_BYTES = 6;
/** First byte of the number within an id. */
const NUMBER_AT = 9;
const NUMBER_BYTES = 7;
/** UUIDs of our own form have version 8, and those of {@link newId} 7. */
const VERSION = 0x80;

/**
 * A derived id is a UUIDv8: the milliseconds of `createdAt`, then the number of the row, masked, because numbers count the
 * events of all tenants.
 */
export function createEventIds(keyring: Pick<Keyring, 'secretFor'>): EventIds {
  const key = createSecretKey(keyring.secretFor('event-ids'));

  function derived({ number, createdAt }: Pick<EventKey, 'number' | 'createdAt'>): string {
    const bytes = Buffer.alloc(16);
    bytes.writeUIntBE(createdAt.getTime(), 0, MS_BYTES);
    const mask = createHmac('sha256', key).update(bytes.subarray(0, MS_BYTES)).digest();
    bytes[6] = VERSION | (mask[6]! & 0x0f);
    bytes[7] = mask[7]!;
    bytes[8] = 0x80 | (mask[8]! & 0x3f);
    // Two writes, because Buffer writes at most six bytes of a number.
    const value = BigInt(number);
    bytes[NUMBER_AT] = Number(value >> 48n) & 0xff;
    bytes.writeUIntBE(Number(value & 0xffff_ffff_ffffn), NUMBER_AT + 1, NUMBER_BYTES - 1);
    for (let at = NUMBER_AT; at < 16; at += 1) bytes[at]! ^= mask[at]!;
    return idOfBytes('event', bytes);
  }

  function numberIn(bytes: Buffer): string {
    const mask = createHmac('sha256', key).update(bytes.subarray(0, MS_BYTES)).digest();
    const plain = Buffer.from(bytes.subarray(NUMBER_AT).map((byte, at) => byte ^ mask[NUMBER_AT + at]!));
    return ((BigInt(plain[0]!) << 48n) | BigInt(plain.readUIntBE(1, NUMBER_BYTES - 1))).toString();
  }

  return {
    derived,
    of: (event) =>
      !TRANSACTIONS.includes(event.event) && isId('event', event.dataId) ? event.dataId : derived(event),
    find(id) {
      if (!isId('event', id)) return undefined;
      const bytes = bytesOfId(id);
      if ((bytes[6]! & 0xf0) !== VERSION) return { dataId: id };
      const place = { number: numberIn(bytes), createdAt: new Date(bytes.readUIntBE(0, MS_BYTES)) };
      return derived(place) === id ? place : undefined;
    },
  };
}
