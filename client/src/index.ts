export { sum } from './amounts';
export type { Answer } from './answer';
export { agrees, type Balances, type Finding, fold, reconcile } from './books';
export { type Cardwright, cardwright } from './client';
export { CardwrightError, NoAnswer, type WrongField } from './errors';
export type { AnswerOf, InputOf, ItemOf, ListName, OperationName, Schemas } from './operation-types';
export type { Connection, Sending } from './send';
export { until } from './until';
export { UntrustedWebhook, verifyWebhook, type WebhookEvent, webhookListener } from './webhooks';
