import { payoutDetails } from '../../payouts/details';

export const { insertDetails, shown, findSealedDestination } = payoutDetails('iban_payouts');
