import type { S3Settings } from '../../kernel/config/s3';
import { type BucketOptions, codeOf, createBucket, faultOf, isSuccess, listObjects } from '../bucket';
import { DocumentsAway, type SealedStore } from './port';

/** Stores sealed bytes as objects of a bucket. */
export function createS3Store(settings: S3Settings, options: BucketOptions = {}): SealedStore {
  const ask = createBucket(settings, options, (cause) => new DocumentsAway(cause));
  return {
    async put(name, body) {
      const answer = await ask({ method: 'PUT', name, body });
      if (!isSuccess(answer)) throw new DocumentsAway(faultOf('PUT', answer)); // the bucket does not exist
    },
    async get(name) {
      const answer = await ask({ method: 'GET', name, streams: true });
      if (isSuccess(answer)) return answer.stream;
      if (codeOf(answer) === 'NoSuchBucket') throw new DocumentsAway(faultOf('GET', answer));
      return undefined;
    },
    async delete(name) {
      const answer = await ask({ method: 'DELETE', name });
      if (codeOf(answer) === 'NoSuchBucket') throw new DocumentsAway(faultOf('DELETE', answer));
    },
    list: () => listObjects(ask, '', (cause) => new DocumentsAway(cause)),
  };
}
