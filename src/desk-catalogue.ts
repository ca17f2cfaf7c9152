import { accountDesk } from './accounts/desk';
import type { StatementServices } from './accounts/statements/services';
import type { StoryServices } from './accounts/stories';
import { cardDesk } from './cards/desk';
import { cardOrderDesk } from './cards/orders/desk';
import { binDesk } from './cards/programmes/desk';
import type { CardServices } from './cards/services';
import { gasStationDesk } from './chain/gas-station/config/desk';
import { gasOperationDesk } from './chain/gas-station/operations/desk';
import { networkDesk } from './chain/networks/desk';
import { signingDesk } from './chain/signing/desk';
import { walletDesk } from './chain/wallets/desk';
import { walletSeedDesk } from './chain/wallets/seed/desk';
import { approvalDesk } from './desk/approvals/desk';
import { type Catalogue, catalogueOf } from './desk/catalogue';
import { clientDesk } from './desk/clients/desk';
import { operatorDesk } from './desk/operators/desk';
import { mustLeaveToOthers } from './desk/operators/operations';
import { overdueDesk } from './desk/overdue';
import { sessionDesk } from './desk/sign-in/desk';
import { SIGN_IN_RULES } from './desk/sign-in/rules';
import { stopDesk } from './desk/stops/desk';
import { capabilityDesk, partyDesk } from './desk/stops/switches';
import { transferDecisionDesk } from './desk/transfer-decisions';
import { bankFilesDesk } from './parties/iso20022/desk';
import { cardholderDesk } from './people/cardholders/desk';
import { kycDesk } from './people/kyc/desk';
import type { UserServices } from './people/users/services';
import { userDesk } from './people/users-desk';
import { auditDesk } from './process/audit-desk';
import { breakDesk } from './process/breaks/desk';
import { callbackDesk } from './process/callbacks/desk';
import { outboxDesk } from './process/outbox/desk';
import { quoteDesk } from './process/quotes/desk';
import type { Services } from './services';
import type { Access } from './tenants/clients/access';
import { webhookDesk } from './tenants/webhooks/desk';
import { chainDepositDesk } from './transfers/chain-deposits/desk';
import { assertClosable, closeAccount } from './transfers/close-account';
import { transferDesk } from './transfers/conclude-desk';
import { depositDesk } from './transfers/deposits/desk';
import { destinationDesk } from './transfers/exchange/destination-desk';
import { exchangeOrderDesk } from './transfers/exchange/orders/desk';
import { topupDesk } from './transfers/external-cards/desk';
import { ibanCreditDesk } from './transfers/iban/credits/desk';
import { ibanDesk } from './transfers/iban/desk';
import { ibanPayoutDesk } from './transfers/iban/payouts/desk';
import { openTransferOf } from './transfers/open-of-user';
import { payoutDesk } from './transfers/payouts/desk';
import { referenceDesk } from './transfers/reference-desk';
import { restoredDesk } from './transfers/restored-desk';
import { screeningDesk } from './transfers/screening-desk';
import { settlementDesk } from './transfers/settlement/desk';
import { strayDesk } from './transfers/stray/desk';
import { suspenseDesk } from './transfers/suspense-desk';
import { withdrawalDesk } from './transfers/withdrawals-desk';
import { chainDesk } from './watch/chains/desk';
import { followingAtOnce } from './watch/chains/process';
import { partyListDesk } from './watch/desk';

/** The services of all desks. */
export interface CatalogueServices
  extends UserServices,
    CardServices,
    StoryServices,
    StatementServices,
    Services {
  /** Cached tenants and secrets. An operation that changes a tenant invalidates its entry after the commit. */
  access: Access;
}

/**
 * The desks of all domains. The order is the order of the overview.
 * @param clock the machine's time
 */
export function deskCatalogue(
  services: CatalogueServices,
  clock = () => new Date(),
  signInRules = SIGN_IN_RULES,
): Catalogue {
  const desks = [
    depositDesk(services),
    cardholderDesk(services),
    kycDesk(services),
    userDesk({ ...services, openTransferOf }),
    accountDesk({ ...services, closeAccount, assertClosable }),
    ibanDesk(services),
    cardDesk(services),
    binDesk(services),
    referenceDesk(services),
    payoutDesk(services),
    ibanPayoutDesk(services),
    ibanCreditDesk(services),
    withdrawalDesk(services),
    topupDesk(services),
    exchangeOrderDesk(services),
    destinationDesk({ ...services, mustLeaveToOthers }),
    suspenseDesk(services),
    settlementDesk(services),
    bankFilesDesk(services),
    transferDesk(services),
    restoredDesk(services),
    cardOrderDesk(services),
    chainDepositDesk(services),
    strayDesk(services),
    screeningDesk(services),
    walletDesk(services),
    walletSeedDesk(services),
    gasOperationDesk(services),
    gasStationDesk(services),
    signingDesk(services),
    networkDesk(services, followingAtOnce(services)),
    chainDesk(services),
    partyListDesk(services),
    approvalDesk(services),
    operatorDesk({ ...services, clock }),
    sessionDesk({ ...services, clock, signInRules }),
    clientDesk(services),
    stopDesk(services),
    capabilityDesk(services),
    partyDesk(services),
    breakDesk(services),
    outboxDesk(services),
    webhookDesk(services),
    overdueDesk(services),
    auditDesk(services),
    callbackDesk(services),
    quoteDesk(services),
    transferDecisionDesk(services.database, (kind) => catalogue.records.get(kind)),
  ];
  const catalogue: Catalogue = catalogueOf(services.database, desks, services.now);
  return catalogue;
}
