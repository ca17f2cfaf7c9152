import { partyOrders } from '../../parties/orders/party-orders';
import { closureOrder } from './closure';
import { issuanceOrder } from './issuance';
import { tokenizationOrder } from './tokenization';

/** All kinds of orders for the card processor. */
export const processorOrders = partyOrders('cardProcessor', [issuanceOrder, closureOrder, tokenizationOrder]);
