import { payoutDetails } from './details';

export const { insertDetails, shown, findSealedDestination, havingExternalId } = payoutDetails('payouts');
