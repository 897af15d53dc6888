# Homebrew formula; scripts/dev/make-release fills in what is between @ and takes out the machines that it has no
# archive for.
class LhMemory < Formula
  desc "Unix filters that turn a coding agent's finished session into memory"
  homepage "@HOME@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do # aarch64-apple-darwin
      url "@URL@/lh-memory-@VERSION@-aarch64-apple-darwin.tar.xz"
      sha256 "@SHA256 aarch64-apple-darwin@"
    end
    on_intel do # x86_64-apple-darwin
      url "@URL@/lh-memory-@VERSION@-x86_64-apple-darwin.tar.xz"
      sha256 "@SHA256 x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do # aarch64-unknown-linux-musl
      url "@URL@/lh-memory-@VERSION@-aarch64-unknown-linux-musl.tar.xz"
      sha256 "@SHA256 aarch64-unknown-linux-musl@"
    end
    on_intel do # x86_64-unknown-linux-musl
      url "@URL@/lh-memory-@VERSION@-x86_64-unknown-linux-musl.tar.xz"
      sha256 "@SHA256 x86_64-unknown-linux-musl@"
    end
  end

  def install
    # With DESTDIR it does not look for another lh: Homebrew does, when it links.
    ENV["DESTDIR"] = "/"
    ENV["PREFIX"] = prefix.to_s
    system "./install"
    # Homebrew removes what it installed.
    rm [share/"lh/install", share/"lh/manifest"]
  end

  def caveats
    <<~TEXT
      To switch it on:   lh-setup
      Before you remove it:   lh-setup --uninstall
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/lh-gate --version")
  end
end
