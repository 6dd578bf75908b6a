// Answers arrive late and out of order; only the one to the newest question counts. A question waits until typing pauses,
// and takes the place of those that wait or are on their way.
export class Latest<Question, Answer> {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked: AbortController | undefined;

  constructor(
    private readonly ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
    private readonly take: (question: Question, answer: Answer) => void,
    private readonly fail: (question: Question, error: unknown) => void,
  ) {}

  put(question: Question, pause: number): void {
    this.drop();
    if (pause > 0) this.timer = setTimeout(() => void this.send(question), pause);
    else void this.send(question);
  }

  drop(): void {
    clearTimeout(this.timer);
    this.asked?.abort();
    this.asked = undefined;
  }

  private async send(question: Question): Promise<void> {
    const mine = new AbortController();
    this.asked = mine;
    try {
      const answer = await this.ask(question, mine.signal);
      if (this.asked === mine) this.take(question, answer);
    } catch (error) {
      if (this.asked === mine) this.fail(question, error);
    }
  }
}
