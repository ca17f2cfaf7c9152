import type { Desk } from '../../../process/desk/desk';
import { deskOfPayouts, type PayoutDeskServices } from '../../payouts/desk';
import { ibanPayoutView } from '../view';
import { ibanPayoutKind } from './kind';

export const ibanPayoutDesk = (services: PayoutDeskServices): Desk =>
  deskOfPayouts(services, {
    noun: 'iban-payout',
    title: 'Payouts of virtual IBANs',
    kind: ibanPayoutKind,
    view: ibanPayoutView,
  });
