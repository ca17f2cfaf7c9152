import { type Html, html } from '../../../kernel/wire/html';
import type { Decision } from '../../../process/desk/decision';
import { schemaOf } from '../../schema-of';
import { capital } from '../render/cells';
import { type Field, fieldInput, fieldsOf, typedIn } from '../render/fields';
import { hidden } from '../render/layout';
import type { Refusal } from './under-key';

export const INPUT = 'input';

/** A decision as far as an operator has filled it in. */
export interface Draft {
  decision: Decision;
  subject: string;
  form: URLSearchParams;
  fields: Field[];
}

export const formFields = ({ input }: Decision): Field[] => fieldsOf(schemaOf(input), INPUT);

/** The fields of a decision: its subject, its input, and the reason. */
export function fieldsBox({ decision, subject, form, fields }: Draft, refusal?: Refusal): Html {
  const { only, noun } = decision.subject;
  const wrongOf = (path: string) => (refusal?.field === path ? refusal.message : undefined);
  const isRequired = decision.reason !== 'optional';
  const about = textField({ path: 'subject', label: `${capital(noun)} (its id)`, isRequired: true });
  const reason: Field = {
    ...textField({ path: 'reason', label: 'Reason', isRequired }),
    kind: 'long',
    hint: 'For the audit log. No personal data.',
  };
  const isAsked = only === undefined && (subject === '' || refusal?.status === 404);
  return html`${
    isAsked ? fieldInput(about, { value: subject, wrong: wrongOf('subject') }) : hidden('subject', subject)
  }${fields.map((field) => fieldInput(field, { ...typedIn(form, field), wrong: wrongOf(field.path) }))}${fieldInput(
    reason,
    {
      ...typedIn(form, reason),
      wrong: wrongOf('reason'),
    },
  )}`;
}

const textField = (given: Pick<Field, 'path' | 'label' | 'isRequired'>): Field => ({
  ...given,
  kind: 'text',
  isNullable: false,
  isSecret: false,
  choices: [],
  hint: '',
});
