import type { z } from 'zod';
import { invalid, jsonAnswer } from '../answer.ts';
import { jsonObject, type Call } from '../call.ts';
import { faultRuleSchema, outageSchema } from '../fault-rules.ts';
import type { Faults } from '../faults.ts';
import { get, post, type Route } from './request.ts';

/** Real milliseconds an answer gets to leave before the port closes behind it. */
const ANSWER_LEAD_MS = 50;

/** Only mounted with `control: true`: how a test in another process looks into the service and breaks it. */
export function controlRoutes(faults: Faults): Route[] {
  const routes: Route[] = [
    get('/__demo/ledger', ({ parts: { ledger } }) =>
      jsonAnswer({ received: ledger.received, commits: ledger.commits, entries: ledger.entries }),
    ),
    get('/__demo/tasks', ({ parts: { tasks } }) =>
      jsonAnswer({ tasks: tasks.list().map((task) => ({ ...task, status: tasks.statusOf(task) })) }),
    ),
    post('/__demo/faults', (call) => jsonAnswer({ id: faults.add(read(call, faultRuleSchema, 'invalid_fault')) })),
    {
      method: 'DELETE',
      path: '/__demo/faults',
      answer: async () => {
        faults.clear();
        await faults.lift();
        return jsonAnswer({ cleared: true });
      },
    },
    post('/__demo/outage', (call) => {
      const outage = read(call, outageSchema, 'invalid_outage');
      if (outage.answer === 'refused' && outage.forMs === undefined) {
        throw invalid('invalid_outage', 'A closed port cannot be told to open again: give "forMs".');
      }
      // Answered before the port closes, or the client would not get it.
      setTimeout(() => void faults.outage(outage), ANSWER_LEAD_MS);
      return jsonAnswer({ started: true });
    }),
  ];
  return routes.map((route) => ({ ...route, open: true }));
}

function read<S extends z.ZodType>(call: Call, schema: S, code: string): z.infer<S> {
  const result = schema.safeParse(jsonObject(call));
  if (!result.success) throw invalid(code, result.error.message);
  return result.data;
}
