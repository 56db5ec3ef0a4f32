import { ApiError, GoogleGenAI } from '@google/genai';
import { describe, expect, it } from 'vitest';
import { serviceForClients } from './service.ts';

const service = serviceForClients();
/** The key it sends by itself has a header of its own; the service wants it as a bearer token (reference, "Authentication"). */
const client = () => {
  const { url, apiKey } = service.current;
  return new GoogleGenAI({
    apiKey,
    httpOptions: { baseUrl: url, apiVersion: 'v1beta', headers: { authorization: `Bearer ${apiKey}` } },
  });
};

describe('the client library of the generateContent format', () => {
  it('has a text, and JSON where it asks for it', async () => {
    const ask = (config: object) =>
      client().models.generateContent({
        model: 'chat-demo',
        contents: 'A lighthouse',
        config: { systemInstruction: 'Plain words.', temperature: 0.2, ...config },
      });
    const answer = await ask({});
    expect(answer.text).toContain('“A lighthouse”');
    expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(10);
    const asJson = await ask({ responseMimeType: 'application/json', candidateCount: 2 });
    expect(asJson.candidates).toHaveLength(2);
    expect(JSON.parse(asJson.candidates?.[0]?.content?.parts?.[0]?.text ?? '')).toMatchObject({
      title: 'A lighthouse',
    });
    expect((await ask({ maxOutputTokens: 2 })).candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
  });

  it('has a picture inside the answer, in the shape it asked for', async () => {
    const answer = await client().models.generateContent({
      model: 'image-demo',
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Make it night' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
        },
      ],
      config: { imageConfig: { aspectRatio: '16:9' } },
    });
    const picture = Buffer.from(answer.candidates?.[0]?.content?.parts?.at(-1)?.inlineData?.data ?? '', 'base64');
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(service.current.tasks.list().at(-1)?.wanted).toMatchObject({
      prompt: 'Make it night',
      width: 1024,
      height: 576,
    });
  });

  it('reads an error as its own', async () => {
    const error: unknown = await client()
      .models.generateContent({ model: 'chat-demo', contents: ' ' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 400 });
  });
});
