import type { Composed } from '../src/composition';
import { createAuditActivities } from './audit';
import { createBankingActivities } from './banking';
import { createCardEventActivities } from './card-events';
import { createCardholderActivities } from './cardholders';
import { createCardActivities } from './cards';
import { createChainReadingActivities } from './chain-readings';
import { createDeskActivities } from './desk';
import { createExchangeActivities } from './exchange';
import { createGasStationActivities } from './gas-station';
import { createHousekeepingActivities } from './housekeeping';
import { createKycActivities } from './kyc';
import { createTransferActivities } from './transfers';
import { createWalletActivities } from './wallets';
import { createWebhookActivities, type WebhookActivities } from './webhooks';

/**
 * Every activity under the name by which workflows call it.
 * @param webhooks the activities of a delivery that the process also uses without workflows
 */
export function createActivities(
  services: Composed,
  webhooks: WebhookActivities = createWebhookActivities(services),
) {
  return {
    ...createAuditActivities(services),
    ...createCardActivities(services),
    ...createCardholderActivities(services),
    ...createCardEventActivities(services),
    ...createBankingActivities(services),
    ...createChainReadingActivities(services),
    ...createDeskActivities(services),
    ...createExchangeActivities(services),
    ...createGasStationActivities(services),
    ...createHousekeepingActivities(services),
    ...createKycActivities(services),
    ...createTransferActivities(services),
    ...createWalletActivities(services),
    ...webhooks,
  };
}

export type Activities = ReturnType<typeof createActivities>;
