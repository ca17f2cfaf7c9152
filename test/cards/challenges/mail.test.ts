import { type CodeMail, renderCodeMail } from '../../../src/cards/challenges/mail';

const MAIL: CodeMail = {
  language: 'en',
  sender: 'Acme Pay',
  amount: '1234.5',
  currency: 'EUR',
  merchant: 'Bookshop',
  last4: '4242',
  code: '012345',
  minutes: 5,
};

it('names the sender, the amount, the merchant and the last four digits in English', () => {
  const { subject, text } = renderCodeMail(MAIL);
  expect(subject).toBe('Your code for a payment by card from Acme Pay');
  expect(text).toBe(
    [
      'Confirm your payment',
      '',
      'Bookshop asks for €1,234.50 from your card ending in 4242.',
      '',
      '012345',
      '',
      'The code is valid for 5 minutes.',
      'If you are not paying now, do not enter the code anywhere and tell no one.',
      '',
      'Acme Pay',
      '',
    ].join('\n'),
  );
});

it('is written in German, with German amounts', () => {
  const { subject, text, html } = renderCodeMail({ ...MAIL, language: 'de' });
  expect(subject).toBe('Ihr Code für eine Kartenzahlung von Acme Pay');
  expect(text).toContain('Bookshop möchte 1.234,50\u00a0€ von Ihrer Karte mit den Endziffern 4242 abbuchen.');
  expect(html).toContain('<html lang="de">');
});

it('keeps each digit of a large amount and the minor unit of each currency', () => {
  expect(renderCodeMail({ ...MAIL, amount: '999999999999999.99', currency: 'USD' }).text).toContain(
    '$999,999,999,999,999.99',
  );
  expect(renderCodeMail({ ...MAIL, amount: '1500', currency: 'JPY' }).text).toContain('¥1,500');
  expect(renderCodeMail({ ...MAIL, amount: '1.5', currency: 'USDT' }).text).toContain('1.5 USDT');
});

it('escapes the names of merchant and tenant in markup and header', () => {
  const { subject, html } = renderCodeMail({
    ...MAIL,
    sender: 'Acme\r\nBcc: eve@example.com',
    merchant: '<img src=x onerror=alert(1)>',
  });
  expect(subject).toBe('Your code for a payment by card from Acme Bcc: eve@example.com');
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(html).not.toContain('<img');
});

it('shows the code in the body only, because phones show subjects on a locked screen', () => {
  const { subject, text, html } = renderCodeMail(MAIL);
  expect(subject).not.toContain(MAIL.code);
  expect(text).toContain(MAIL.code);
  expect(html).toContain(MAIL.code);
});
