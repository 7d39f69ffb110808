{
  description = "AI agents ask open questions, people decide on one clear page";

  inputs.nixpkgs.url = "nixpkgs";

  outputs =
    { self, nixpkgs }:
    let
      version = "@VERSION@";
      archives = {
        # target aarch64-apple-darwin
        aarch64-darwin = {
          target = "@TARGET@";
          sha256 = "@SHA256@";
        };
        # end
        # target x86_64-apple-darwin
        x86_64-darwin = {
          target = "@TARGET@";
          sha256 = "@SHA256@";
        };
        # end
        # target aarch64-unknown-linux-musl
        aarch64-linux = {
          target = "@TARGET@";
          sha256 = "@SHA256@";
        };
        # end
        # target x86_64-unknown-linux-musl
        x86_64-linux = {
          target = "@TARGET@";
          sha256 = "@SHA256@";
        };
        # end
      };
      package =
        system: archive:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "aide-decide";
          inherit version;
          src = pkgs.fetchurl {
            url = "@REPOSITORY@/releases/download/v${version}/aide-decide-${version}-${archive.target}.tar.xz";
            inherit (archive) sha256;
          };
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The program is static, and packed as it is.
          dontConfigure = true;
          dontBuild = true;
          dontFixup = true;
          installPhase = ''
            runHook preInstall
            install -D -m 755 aide $out/bin/aide
            installManPage man/man1/*.1
            installShellCompletion --cmd aide --bash completions/aide.bash --zsh completions/_aide --fish completions/aide.fish
            install -D -m 644 -t $out/share/doc/aide-decide LICENSE-* LICENSES-OF-DEPENDENCIES.html
            runHook postInstall
          '';
          meta = {
            description = "AI agents ask open questions, people decide on one clear page";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "aide";
            platforms = [ system ];
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) archives;
    };
}
