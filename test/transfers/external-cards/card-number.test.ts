import { isCardNumber } from '../../../src/transfers/external-cards/card-number';

it.each([
  '4242424242424242',
  '4242 4242-4242 4242',
  ' 378282246310005 ',
  '4222222222222',
  '4242.4242.4242.4242',
  '4242_4242_4242_4242',
  '4242:4242:4242:4242',
  '_4242..4242--4242__4242:',
  '6304000000000000000',
])('%s is a card number', (text) => expect(isCardNumber(text)).toBe(true));

it.each([
  'tok_visa',
  '4242424242424241',
  '424242424242',
  '42424242424242424242',
  'pm_4242424242424242',
  'pm.4242.4242.4242.4242',
  '...',
])('%s is none', (text) => expect(isCardNumber(text)).toBe(false));
