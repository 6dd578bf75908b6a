// A place in a film that may still grow. It follows the end until someone moves it away, and again once it is back there.
export class Playhead {
  playing = $state(false);

  // Made while a component is, whose end is its own.
  constructor(
    private readonly length: () => number,
    pause: number, // ms a picture
    private readonly place: () => { chosen: number }, // -1: the end
  ) {
    $effect(() => {
      if (!this.playing) return;
      const timer = setInterval(() => {
        this.move(this.at + 1);
        if (this.place().chosen < 0) this.playing = false;
      }, pause);
      return () => clearInterval(timer);
    });
  }

  get at(): number {
    const last = this.length() - 1;
    return this.place().chosen < 0 ? last : Math.min(this.place().chosen, last);
  }
  get follows(): boolean {
    return this.place().chosen < 0;
  }
  move(to: number): void {
    this.place().chosen = to >= this.length() - 1 ? -1 : to;
  }
  play(): void {
    if (!this.playing && this.at + 1 >= this.length()) this.place().chosen = 0;
    this.playing = !this.playing;
  }
}
