/** Access to a bucket. */
export interface S3Settings {
  /** `https://s3.eu-central-1.amazonaws.com`, or another server of the same protocol. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}
