import { expect, it } from 'vitest';
import { Gates } from '../../../src/engine/jobs/gates.ts';

it('the gate of a service that cannot be reached says why, and that nothing is lost', () => {
  const gates = new Gates();
  gates.note('submit', { saw: 'no_connection', message: 'The connection broke.' }, 1000);
  expect(gates.before('submit', 1001)?.message).saying(/\bThe connection broke\. Nothing is lost\.$/);
});
