import { html } from '../../kernel/wire/html';

export const MAIL_LANGUAGES = ['en', 'de'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** Values that the mail shows. */
export interface CodeMail {
  language: MailLanguage;
  /** The tenant's name. */
  sender: string;
  /** A decimal, in `currency`. */
  amount: string;
  currency: string;
  merchant: string;
  last4: string;
  /** Six digits. */
  code: string;
  /** The number of minutes for which the code is valid. */
  minutes: number;
}

interface Texts {
  subject(mail: CodeMail): string;
  title: string;
  purchase(mail: CodeMail, money: string): string;
  validity(mail: CodeMail): string;
  warning: string;
}

const TEXTS: Readonly<Record<MailLanguage, Texts>> = {
  en: {
    subject: ({ sender }) => `Your code for a payment by card from ${sender}`,
    title: 'Confirm your payment',
    purchase: ({ merchant, last4 }, money) =>
      `${merchant} asks for ${money} from your card ending in ${last4}.`,
    validity: ({ minutes }) => `The code is valid for ${minutes} minutes.`,
    warning: 'If you are not paying now, do not enter the code anywhere and tell no one.',
  },
  de: {
    subject: ({ sender }) => `Ihr Code für eine Kartenzahlung von ${sender}`,
    title: 'Bestätigen Sie Ihre Zahlung',
    purchase: ({ merchant, last4 }, money) =>
      `${merchant} möchte ${money} von Ihrer Karte mit den Endziffern ${last4} abbuchen.`,
    validity: ({ minutes }) => `Der Code ist ${minutes} Minuten gültig.`,
    warning: 'Wenn Sie gerade nicht bezahlen, geben Sie den Code nirgends ein und nennen Sie ihn niemandem.',
  },
};

/** Inline styles, because mail programs support few styles and often ignore style sheets. */
const STYLE = {
  body: 'margin:0;padding:24px 12px;background:#eef3f8;color:#14202e;font:16px/1.5 Arial,Helvetica,sans-serif',
  card: 'max-width:448px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #c9d2dc;border-radius:12px',
  sender: 'margin:0 0 8px;color:#4c5a6b;font-size:14px',
  title: 'margin:0 0 12px;font-size:20px;line-height:1.3',
  text: 'margin:0 0 16px',
  code: 'margin:0 0 16px;padding:12px;background:#eef3f8;border-radius:8px;text-align:center;font:bold 32px/1.2 Consolas,Menlo,monospace;letter-spacing:6px',
  small: 'margin:0;color:#4c5a6b;font-size:14px',
};

/** Renders subject, text and HTML. No value of the mail becomes markup. */
export function renderCodeMail(mail: CodeMail): { subject: string; text: string; html: string } {
  const texts = TEXTS[mail.language];
  const purchase = texts.purchase(mail, money(mail));
  const lines = [
    texts.title,
    '',
    purchase,
    '',
    mail.code,
    '',
    texts.validity(mail),
    texts.warning,
    '',
    mail.sender,
  ];
  const page = html`<!doctype html>
<html lang="${mail.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${texts.title}</title></head>
<body style="${STYLE.body}"><div style="${STYLE.card}">
<p style="${STYLE.sender}">${mail.sender}</p>
<h1 style="${STYLE.title}">${texts.title}</h1>
<p style="${STYLE.text}">${purchase}</p>
<p style="${STYLE.code}">${mail.code}</p>
<p style="${STYLE.text}">${texts.validity(mail)}</p>
<p style="${STYLE.small}">${texts.warning}</p>
</div></body></html>
`;
  return { subject: oneLine(texts.subject(mail)), text: `${lines.join('\n')}\n`, html: page.text };
}

/** Formats an amount in the language of the mail. A currency unknown to ISO 4217 is written after the amount. */
function money({ language, amount, currency }: CodeMail): string {
  try {
    const style = { style: 'currency', currency } as const;
    return new Intl.NumberFormat(language, style).format(amount as unknown as number); // exact: the text is a decimal
  } catch {
    return `${amount} ${currency}`;
  }
}

/** Joins a text to one line, because a mail header has only one. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
