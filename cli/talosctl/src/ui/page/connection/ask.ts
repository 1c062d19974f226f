/** Sends a request to the program. @throws Error with what the program says */
export async function ask<T>(secret: string, name: string, body: object): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-page-secret': secret },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error('the program cannot be reached: it has ended, or the port is no longer forwarded');
  }
  const answer = (await response.json()) as T & { readonly error?: string };
  if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
  return answer;
}
