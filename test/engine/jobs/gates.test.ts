import { describe, expect, it } from 'vitest';
import { Gates } from '../../../src/engine/jobs/gates.ts';

describe('the gate of a service that cannot be reached', () => {
  it.each(['The connection broke before a whole answer came.', 'connection refused'])(
    'ends the reason with one full stop: %s',
    (message) => {
      const gates = new Gates();
      gates.note('submit', { saw: 'no_connection', message }, 1000);
      const told = gates.before('submit', 1001)?.message ?? '';
      expect(told).toContain(message.replace('.', ''));
      expect(told).toMatch(/[^.]\. Nothing is lost\.$/);
    },
  );
});
