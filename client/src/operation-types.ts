import type { components, operations } from './generated/api';
import type { OPERATIONS } from './generated/operations';
import type { Sending } from './send';

/** Types of the operations, derived from the OpenAPI document. */

/** A record of the API by its name in the document: `Schemas['Card']`. */
export type Schemas = components['schemas'];

/** `operationId` of the document, such as `issueCard`. */
export type OperationName = keyof typeof OPERATIONS;

type Parameters<Name extends OperationName> = operations[Name]['parameters'];

/** The part under its name. Required when the document requires it, absent when the document has none. */
type Part<Of, From extends PropertyKey, Name extends PropertyKey = From> =
  Of extends Record<From, infer Given>
    ? Record<Name, Given>
    : Of extends Partial<Record<From, infer Given>>
      ? [Given] extends [undefined]
        ? unknown
        : Partial<Record<Name, Given>>
      : unknown;

type Content<Body> = Body extends { content: infer Types }
  ? { [Type in keyof Types]: Type extends 'multipart/form-data' ? FormData : Types[Type] }[keyof Types]
  : never;

type BodyPart<Operation> = Operation extends { requestBody: infer Body }
  ? { body: Content<Body> }
  : Operation extends { requestBody?: infer Body }
    ? [Body] extends [undefined]
      ? unknown
      : { body?: Content<Body> }
    : unknown;

/** What an operation takes. */
export type InputOf<Name extends OperationName> = Part<Parameters<Name>, 'path'> &
  Part<Parameters<Name>, 'query'> &
  BodyPart<operations[Name]> &
  Sending;

/** A file of another type than JSON is bytes. */
type Success<Responses> = {
  [Status in keyof Responses & (200 | 201 | 202 | 204)]: Responses[Status] extends { content: infer Types }
    ? { [Type in keyof Types]: Type extends 'application/json' ? Types[Type] : Uint8Array }[keyof Types]
    : undefined;
};

/** What an operation answers. */
export type AnswerOf<Name extends OperationName> = Success<operations[Name]['responses']>[keyof Success<
  operations[Name]['responses']
>];

/** Operations that answer in pages. */
export type ListName = {
  [Name in OperationName]: AnswerOf<Name> extends { data: unknown[]; nextCursor: string | null }
    ? Name
    : never;
}[OperationName];

/** A record of a list. */
export type ItemOf<Name extends ListName> = AnswerOf<Name> extends { data: (infer Item)[] } ? Item : never;
