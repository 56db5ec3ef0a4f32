import { describe, expect, it } from 'vitest';
import { keyFingerprint, toOrigin, parseServiceAddress, ServiceAddressError } from '../../../src/engine/api/address.ts';

describe('a service address', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    [' https://API.example.com:443/ ', 'https://api.example.com'],
    ['http://127.0.0.1:8080//', 'http://127.0.0.1:8080'],
    ['https://example.com/gate/', 'https://example.com/gate'],
    ['https://example.com/v1', 'https://example.com'],
    ['https://example.com/gate/v1/', 'https://example.com/gate'],
  ])('%j is the origin %s', (typed, origin) => {
    expect(toOrigin(typed)).toBe(origin);
    expect(toOrigin(origin)).toBe(origin);
  });

  it.each([
    '',
    '   ',
    'example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'ws://example.com',
    'javascript:alert(1)',
    'data:text/plain,a',
    'https://',
    'https://example.com/?key=1',
    'https://example.com/#a',
  ])('is not %j', (typed) => {
    expect(() => parseServiceAddress(typed)).toThrow(ServiceAddressError);
  });

  it('carries no key, and the refusal does not repeat it', () => {
    const refusal = (): unknown => parseServiceAddress('https://user:sk-secret@example.com');
    expect(refusal).toThrow(ServiceAddressError);
    expect(refusal).not.toThrow(/sk-secret/);
  });

  it.each([
    ['http://localhost:8080', true, false],
    ['http://127.0.0.1', true, false],
    ['http://[::1]:9000', true, false],
    ['http://192.168.1.4', true, false],
    ['http://[fd00::1]', true, false],
    ['http://studio.local', true, false],
    ['http://8.8.8.8', false, true],
    ['http://example.com', false, true],
    ['https://example.com', false, false],
    ['http://[2002:808:808::]', false, true],
    ['http://[64:ff9b::808:808]', false, true],
    ['http://169.254.169.254', false, true],
    ['http://[fd00:ec2::254]', false, true],
  ])('%s is local: %s, and shows the key on its way: %s', (typed, local, exposed) => {
    expect(parseServiceAddress(typed)).toMatchObject({ local, exposed });
  });
});

it('the fingerprint of a key tells keys apart, is always the same for one, and does not show it', () => {
  expect(keyFingerprint('sk-a')).toMatch(/^[0-9a-f]{16}$/);
  expect(keyFingerprint('sk-a')).toBe(keyFingerprint(' sk-a\n'));
  expect(keyFingerprint('sk-a')).not.toBe(keyFingerprint('sk-b'));
});
