# Installs a formula as Homebrew does, as far as this formula needs it: the archive of this platform, by the formula's own
# `install`. Homebrew itself cannot be installed by a package registry.
# usage: install.rb FORMULA FOLDER_OF_ARCHIVES CELLAR
require "digest"
require "fileutils"
require "pathname"
require "rbconfig"
require "tmpdir"

FORMULA, ARCHIVES, CELLAR = ARGV.map { |path| Pathname.new(path) }
SYSTEM = RbConfig::CONFIG["host_os"].include?("darwin") ? :macos : :linux
PROCESSOR = RbConfig::CONFIG["host_cpu"].match?(/arm|aarch/) ? :arm : :intel

class Pathname
  def install(*sources)
    mkpath
    sources.flatten.each do |source|
      (source.is_a?(Hash) ? source : { source => File.basename(source) }).each do |from, to|
        FileUtils.cp(from, self + to)
        (self + to).chmod(basename.to_s == "bin" ? 0o755 : 0o644)
      end
    end
  end
end

class Formula
  %i[desc homepage version license url sha256].each do |name|
    define_singleton_method(name) do |value = nil|
      value.nil? ? instance_variable_get("@#{name}") : instance_variable_set("@#{name}", value)
    end
  end
  { on_macos: [SYSTEM, :macos], on_linux: [SYSTEM, :linux], on_arm: [PROCESSOR, :arm], on_intel: [PROCESSOR, :intel] }
    .each { |name, (found, wanted)| define_singleton_method(name) { |&block| block.call if found == wanted } }
  def self.conflicts_with(*) = nil
  def self.service = nil
  def self.test = nil

  def prefix = CELLAR + "aide-decide" + self.class.version
  def bin = prefix + "bin"
  def man1 = prefix + "share/man/man1"
  def bash_completion = prefix + "etc/bash_completion.d"
  def zsh_completion = prefix + "share/zsh/site-functions"
  def fish_completion = prefix + "share/fish/vendor_completions.d"
end

load FORMULA.to_s
abort "the formula has no archive for #{SYSTEM} on #{PROCESSOR}" unless AideDecide.url
archive = ARCHIVES + File.basename(AideDecide.url)
found = Digest::SHA256.file(archive).hexdigest
abort "the checksum of #{archive} is #{found}, the formula says #{AideDecide.sha256}" unless found == AideDecide.sha256
Dir.mktmpdir do |folder|
  system("tar", "-xJf", archive.realpath.to_s, "-C", folder, "--strip-components=1", exception: true)
  Dir.chdir(folder) { AideDecide.new.install }
end
