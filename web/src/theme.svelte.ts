// Dark or light: as the system says, unless one chose otherwise here.
type Choice = "system" | "light" | "dark";

function kept(): Choice {
  try {
    const value = localStorage.getItem("theme");
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system"; // pages opened from a file may have no storage
  }
}

// What pictures on a canvas are drawn with; the style has the values.
const names = ["ink", "soft", "line", "bar", "mark", "second", "mono"] as const;
type Colours = Record<(typeof names)[number], string>;

class Theme {
  private readonly system = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : undefined;
  private choice: Choice = kept();
  dark = $state(false);
  colours = $state.raw({} as Colours);

  constructor() {
    this.system?.addEventListener("change", () => this.apply());
    this.apply();
  }

  private apply(): void {
    this.dark = this.choice === "system" ? (this.system?.matches ?? false) : this.choice === "dark";
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    const style = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as Colours;
  }

  turn(): void {
    this.choice = this.dark ? "light" : "dark";
    this.apply();
    try {
      localStorage.setItem("theme", this.choice);
    } catch {
      // then it lasts as long as the page
    }
  }
}

export const theme = new Theme();
