export { type CardSuspense, findCardSuspense, saveCardSuspense } from './suspense-store';
