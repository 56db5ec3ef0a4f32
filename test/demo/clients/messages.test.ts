import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { serviceForClients } from './service.ts';

const service = serviceForClients();
/** Its key goes as a bearer token (reference, "Authentication"); it writes /v1 itself. */
const client = () =>
  new Anthropic({ baseURL: service.current.url, authToken: service.current.apiKey, apiKey: null, maxRetries: 0 });

const asked = { model: 'chat-demo', max_tokens: 500, messages: [{ role: 'user', content: 'A lighthouse' }] } as const;

describe('the client library of the messages format', () => {
  it('has a message, which follows from what it asked for', async () => {
    const send = (system: string) => client().messages.create({ ...asked, messages: [...asked.messages], system });
    const message = await send('Plain words.');
    expect(message).toMatchObject({ type: 'message', role: 'assistant', stop_reason: 'end_turn' });
    expect(message.content).toMatchObject([
      { type: 'text', text: expect.stringContaining('“A lighthouse”') as unknown },
    ]);
    expect((await send('Loud words.')).content).not.toEqual(message.content);
  });

  it('is told that its limit was reached', async () => {
    const message = await client().messages.create({ ...asked, messages: [...asked.messages], max_tokens: 2 });
    expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 2 } });
  });

  it('reads an error as its own', async () => {
    const error: unknown = await client()
      .messages.create({ ...asked, messages: [] })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ status: 400, error: { error: { code: 'invalid_field' } } });
  });
});
