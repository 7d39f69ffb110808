class AideDecide < Formula
  desc "AI agents ask open questions, people decide on one clear page"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  # target aarch64-apple-darwin
  on_macos do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/aide-decide-@VERSION@-@TARGET@.tar.xz"
      sha256 "@SHA256@"
    end
  end
  # end
  # target x86_64-apple-darwin
  on_macos do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/aide-decide-@VERSION@-@TARGET@.tar.xz"
      sha256 "@SHA256@"
    end
  end
  # end
  # target aarch64-unknown-linux-musl
  on_linux do
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/aide-decide-@VERSION@-@TARGET@.tar.xz"
      sha256 "@SHA256@"
    end
  end
  # end
  # target x86_64-unknown-linux-musl
  on_linux do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/aide-decide-@VERSION@-@TARGET@.tar.xz"
      sha256 "@SHA256@"
    end
  end
  # end

  conflicts_with "aide", because: "both install an `aide` program"

  def install
    bin.install "aide"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/aide.bash" => "aide"
    zsh_completion.install "completions/_aide"
    fish_completion.install "completions/aide.fish"
  end

  service do
    run [opt_bin/"aide", "daemon", "start", "--foreground"]
    keep_alive crashed: true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/aide --version")
  end
end
