/** Task queues: what must not wait for one another is worked apart. */
export const QUEUES = {
  /** Processes of records: issuance, closure, reviews, deposits, payouts … */
  processes: 'processes',
  /** Webhook dispatchers and recoveries, whose activities run long. */
  webhooks: 'webhooks',
} as const;
