import { expect, it } from 'vitest';
import { networkProblem } from '../../../src/engine/api/errors.ts';

const failed = (code: string): Error => Object.assign(new Error('unable to get local issuer certificate'), { code });

it.each([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])('a service whose authority is not trusted says that nothing was sent, and what to do (%s)', (code) => {
  const { message } = networkProblem(failed(code));
  expect(message).saying(/nothing was sent/);
  expect(message).saying(/add it to those that this computer trusts/);
});
