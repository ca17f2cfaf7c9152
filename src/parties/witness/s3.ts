import { createHash } from 'node:crypto';
import { type HourlyHead, headOfText, textOfHead } from '../../kernel/audit/heads';
import type { S3Settings } from '../../kernel/config/s3';
import { inParallel } from '../../kernel/in-parallel';
import { PartyAway, PartyRefused } from '../../process/party-errors';
import { type AskBucket, type BucketOptions, createBucket, faultOf, isSuccess, listObjects } from '../bucket';
import type { Witness } from './port';

const DAY_MS = 86_400_000;
const AT_ONCE = 16;
const PRECONDITION_FAILED = 412;

export interface S3WitnessOptions extends BucketOptions {
  bucket: S3Settings;
  /** Without a slash at its ends. May be empty. */
  prefix: string;
  /** Days in which nobody may delete or replace an object, the account's owner included. */
  lockDays: number;
  /** The machine's time, by which the lock is counted. */
  now: () => Date;
}

/**
 * Writes an object a head, under object lock in compliance mode, which the bucket must allow. An object is written once: a second
 * writer is answered 412 and compares.
 */
export function createS3Witness({ bucket, prefix, lockDays, now, ...options }: S3WitnessOptions): Witness {
  const ask = createBucket(bucket, options, (cause) => {
    const { message } = cause as Error;
    return new PartyAway(`the bucket of the audit heads gives no answer: ${message}`);
  });
  const start = prefix === '' ? '' : `${prefix}/`;
  return {
    configured: true,
    async tell(head) {
      const body = Buffer.from(textOfHead(head));
      const name = `${start}${head.hour.slice(0, 13)}.json`;
      const answer = await ask({
        method: 'PUT',
        name,
        body,
        headers: {
          'if-none-match': '*',
          'x-amz-checksum-sha256': createHash('sha256').update(body).digest('base64'),
          'x-amz-object-lock-mode': 'COMPLIANCE',
          'x-amz-object-lock-retain-until-date': new Date(now().getTime() + lockDays * DAY_MS).toISOString(),
        },
        accepted: [PRECONDITION_FAILED],
      });
      if (isSuccess(answer)) return;
      if (answer.status !== PRECONDITION_FAILED) throw new PartyAway(faultOf('PUT', answer).message);
      if (textOfHead(await headAt(ask, name)) !== body.toString())
        throw new PartyRefused('other_head', `the bucket has another head of ${head.hour}`);
    },
    async told() {
      const objects = await listObjects(ask, start, ({ message }) => new PartyAway(message));
      const names = [...objects.keys()].filter((name) => name.endsWith('.json'));
      const heads: HourlyHead[] = [];
      await inParallel(names, AT_ONCE, async (name) => void heads.push(await headAt(ask, name)));
      return heads;
    },
  };
}

async function headAt(ask: AskBucket, name: string): Promise<HourlyHead> {
  const answer = await ask({ method: 'GET', name });
  if (!isSuccess(answer)) throw new PartyAway(faultOf('GET', answer).message);
  const head = headOfText(answer.bytes.toString());
  if (!head) throw new PartyRefused('unreadable', `the object ${name} is no head`);
  return head;
}
