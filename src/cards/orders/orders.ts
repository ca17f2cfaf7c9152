import { partyOrders } from '../../parties/orders/party-orders';
import { closureOrder } from './closure';
import { issuanceOrder } from './issuance';
import { tokenizationOrder } from './tokenization';

/** All that the card processor is given. */
export const processorOrders = partyOrders('cardProcessor', [issuanceOrder, closureOrder, tokenizationOrder]);
